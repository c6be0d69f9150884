/** "Protect this computer" and its way back: what page, tray and command line say of it. */
export const protectSentences = {
  protect: 'Protect this computer',
  'protect-stop': 'Stop protecting this computer',
  'protect-means':
    'Every program of this computer then sends its queries to Sotto. You can go back at any time.',
  'protect-stop-means': 'Programs then ask the network again, as they did before.',
  'protect-title-refused': 'Not changed',
  'protect-again': 'Try again',
  'protect-asking': 'Sotto is asked to do it …',
  'protect-password':
    'Your system now asks for the password of an administrator. Sotto never sees it.',

  'taking-not-wanted': 'This computer asks its network.',
  'taking-changing': 'This computer is being led to Sotto …',
  'taking-failed': 'Sotto tries again by itself, but this keeps it from it:',
  'taking-off': 'Sotto is off. This computer asks it as soon as you turn it on.',
  'taking-no-link': 'There is no network. This computer asks Sotto as soon as there is one.',
  'taking-contested':
    'Another program has taken this computer’s queries over, and keeps them. End that program, then try again.',
  'taking-checking': 'Checking that a query of this computer arrives …',
  'taking-not-arriving':
    'This computer was told to ask Sotto, but the queries of its programs go elsewhere. “How to fix” says why.',
  'taking-led': 'This computer asks Sotto now. {headline}.',
  'taking-led-here': 'This computer asks Sotto.',
  'taking-working': 'Working: a query of this computer arrived.',
  'taking-partly':
    'Working: a query of this computer arrived. Some programs still go around Sotto.',
  'taking-stopped': 'This computer asks its network again.',

  'refused-authority-missing':
    'This account may not do that, and this system has no prompt for a password that Sotto could open. An administrator can do it in a terminal:',
  'refused-authority-unreachable':
    'This account may not do that, and no program of this desktop shows a password prompt. An administrator can do it in a terminal:',
  'refused-authority-dismissed': 'The password prompt was closed, so nothing was changed.',
  'refused-authority-refused':
    'The system said no: the password was wrong, or nobody may do this here. Nothing was changed. An administrator can also do it in a terminal:',
  'refused-authority-busy': 'A password prompt is open already. Answer that one first.',
  'refused-authority-late':
    'The password prompt was not answered within five minutes and was closed.',
  'refused-helper-missing':
    'Only Sotto’s helper may change whom this computer asks, and it does not run. Start it in a terminal with this line; Sotto then goes on by itself:',
  'refused-helper-refused': 'Sotto’s helper, which changes whom this computer asks, could not:',
  'refused-no-mechanism': 'Sotto has found no way to lead all programs of this computer to it:',
  'refused-setting-locked':
    'Whoever administers this computer has fixed this, so it can’t be changed here.',
} as const;
