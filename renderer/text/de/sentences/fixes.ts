import type { fixSentences as english } from '../../../../app/contract/sentences/fixes.ts';

export const fixes: Record<keyof typeof english, string> = {
  'fix-dry': 'Es wurde nichts geschrieben.',
  'fix-proved': '{program} liest das und fragt ab jetzt diesen Rechner.',
  'fix-proved-at-start':
    '{program} liest das beim nächsten Start und fragt ab dann diesen Rechner.',
  'fix-proved-network-manager': 'NetworkManager gibt an, sich aus DNS jetzt herauszuhalten.',
  'fix-not-proved':
    '{program} richtet sich vielleicht nicht danach: {file} ist hier nicht lesbar oder sagt etwas anderes. „sotto fix --undo {fix}“ nimmt es zurück.',
  'fix-not-proved-network-manager':
    'NetworkManager gibt nicht an, sich aus DNS herauszuhalten. „sotto fix --undo {fix}“ nimmt es zurück.',
  'fix-proved-docker':
    'Dieser Computer erreicht Sotto an der Brücke von Docker. Container fragen dort, sobald Docker neu gestartet wurde (sudo systemctl restart docker), wenn keine Firewall dazwischen ist; solange Sotto nicht läuft, bekommen sie keine Antwort.',
  'fix-not-proved-docker':
    'Was bei {address} gefragt wird, kommt hier nicht an; Docker noch nicht neu starten. „sotto fix --undo {fix}“ nimmt es zurück.',
  'fix-undone-docker':
    'Was Sotto geändert hatte, ist zurückgenommen. Container, die noch hier fragen, erhalten keine Antwort, bis Docker neu gestartet wurde: sudo systemctl restart docker',
  'fix-undone': 'Was Sotto geändert hatte, ist zurückgenommen.',
  'fix-undone-except':
    'Ein anderes Programm hat {file} seither geändert, daher blieb die Datei, wie sie ist. Was Sotto sonst geändert hatte, ist zurückgenommen.',
  'fix-nothing-to-undo': 'Sotto hat dort nichts geändert.',
};
