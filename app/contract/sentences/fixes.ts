/** What was changed in other programs' settings, and whether it works: `sotto fix`. */
export const fixSentences = {
  'fix-dry': 'Nothing was written.',
  'fix-proved': '{program} reads it, and asks this computer from now on.',
  'fix-proved-at-start':
    '{program} reads it at its next start, and asks this computer from then on.',
  'fix-proved-network-manager': 'NetworkManager says that it leaves DNS alone now.',
  'fix-not-proved':
    '{program} may not go by it: {file} can not be read here, or says something else. "sotto fix --undo {fix}" takes it back.',
  'fix-not-proved-network-manager':
    'NetworkManager does not say that it leaves DNS alone. "sotto fix --undo {fix}" takes it back.',
  'fix-proved-docker':
    'This computer reaches Sotto at the bridge of Docker. Containers ask there once Docker was restarted (sudo systemctl restart docker), if no firewall is in between, and get no answer while Sotto does not run.',
  'fix-not-proved-docker':
    'What is asked at {address} does not arrive here; do not restart Docker yet. "sotto fix --undo {fix}" takes it back.',
  'fix-undone-docker':
    'What Sotto had changed is undone. Containers that still ask it get no answer until Docker was restarted: sudo systemctl restart docker',
  'fix-undone': 'What Sotto had changed is undone.',
  'fix-undone-except':
    'Another program has changed {file} since, so it was left alone. What else Sotto had changed is undone.',
  'fix-nothing-to-undo': 'Sotto has changed nothing there.',
} as const;
