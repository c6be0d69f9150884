/** What a person can do about each health issue, in English. Apart from the issues, because the page gets it with each of them. */
export const healthRemedies = {
  'settings-invalid': 'Correct the file; it is read again as soon as it is saved.',
  'policy-file-invalid':
    'Ask whoever administers this machine to correct the file; "sotto config check FILE" names its errors.',
  'settings-vanished':
    'Put the file back ("sotto config restore" does it for settings.json), or end what it said: "sotto config accept".',
  'certificates-vanished':
    'Put the file back and let Sotto read its settings again (start it again), or take "ca" out of the upstream.',
  'policy-overrides-user':
    'Remove them from settings.json, or ask whoever administers this machine.',
  'profile-expired': 'Ask your organisation for a newer one: "sotto profile update FILE".',
  'profile-undelivered': 'Look again with "sotto profile update", and tell your organisation.',
  'profile-rests': 'Tell your organisation; nothing is to be done here.',
  'identity-unusable': 'Add it: "sotto upstream identities add NAME FILE".',
  'identity-ends':
    'Get a new certificate, and add it under the same name: "sotto upstream identities add NAME FILE".',
  'profile-waits': 'An administrator looks at it and allows it: "sotto profile status".',
  'fleet-view-stopped':
    'See whether the program at the other end runs and the address is right, or set it to "off".',
  'listen-failed': 'Stop the program that uses the address, or change "listen" in the settings.',
  'upstream-retired': 'Choose another one ("sotto upstream catalogue"), and remove this one.',
  'upstream-ended': 'Choose another one ("sotto upstream catalogue"), and remove this one.',
  'upstreams-disagree':
    'See at which name with "sotto upstream cross-check", and who says what with "sotto query NAME --each"; remove an upstream that you do not trust.',
  'listen-reachable':
    'Take the address out of "listen" in the settings; if containers or guests are meant to ask, let a firewall keep all others out.',
  'lengths-shown':
    'It is asked again every ten minutes. If this stays, let another resolver carry the boxes ("address" of the upstream).',
  'address-elsewhere':
    'Where IPv6 is switched off on purpose, or the address comes later, nothing. Otherwise change "listen" in the settings.',
  'address-not-held':
    'Restart Sotto: what stands in "listen" is held from then on (the unit sotto.socket holds its own addresses alone).',
  'descriptors-exhausted':
    'Close programs that hold many connections to Sotto, or let it open more files (LimitNOFILE, "ulimit -n").',
  'listener-restarting': 'If it does not pass by itself, restart the service and report it.',
  'queries-turned-away':
    'See in the query log which names are asked for, and end the program that asks for them.',
  'network-unseen': 'It begins again by itself; restart the service if it does not.',
  'network-unwatched':
    'Set "downgrade" to what suits every network ("refuse" where in doubt), and allow only minutes that you spend here; "sotto doctor" says more.',
  'no-network': 'Connect this machine; Sotto goes on by itself.',
  'no-private-path': 'Check the network, try "sotto upstream test", or add another upstream.',
  'captive-portal': 'Open the login from the tray, or begin it with "sotto portal open".',
  asking:
    'Allow cleartext queries for a while, stay private, or try again: "sotto consent list" shows how.',
  exposed:
    'Each is counted: see "sotto ledger". It ends by itself as soon as a private path works.',
  'downgrade-attempt':
    'Distrust this network. If it is your own server, see whether its TLS still works.',
  'counts-incomplete': 'Nothing needs to be done; this note goes away when the service restarts.',
  'certificate-wrong':
    'Check "name", "pins", "certificatePins" and "ca" of that upstream, and this machine\'s date; on a foreign network, distrust the network.',
  'clock-wrong': "Set this machine's date and time.",
  'queries-in-cleartext': 'Add an upstream of transport dot or tdns.',
  'names-claimed':
    'Where you know the network, believe it ("sotto rule believe"); else refuse ("sotto rule disbelieve"). You are asked once per network.',
  'wide-rule': 'Name the internal zones one by one: see "sotto rule list".',
  'account-unknown': 'Correct the name in "when" or "refuseFor", or give the number of the user.',
  'bypass-loop': 'Name another resolver in that rule.',
  'log-stopped': 'Free space on the disk, or choose a smaller query log.',
  'log-begun-afresh':
    'Delete the old file when you do not need it; this note goes away when the service restarts.',
  'log-erasing-held-up': 'End that program; Sotto tries again by itself.',
  'audit-stopped': 'Free space on the disk and check who owns the state folder.',
  'audit-broken':
    'Keep a copy of the file, and compare it with a head that is kept elsewhere: "sotto audit verify --head".',
  'events-dropped': 'Nothing needs to be done; counters stay exact.',
  'system-dns-not-taken': 'See "sotto system status".',
  'system-dns-otherwise': 'Choose another way: "sotto config set systemDns.mechanism auto".',
  'system-dns-contested':
    'End that program or tell it to leave DNS alone; then "sotto system take".',
  'system-dns-stuck': 'Run "sudo sotto-helper give-back".',
  'coverage-gaps': '"sotto system probe" says what to do about each.',
  'ledger-unwritable': 'Free space on the disk and check who owns the state folder.',
} as const;
