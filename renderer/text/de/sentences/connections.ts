import type { connectionsSentences as english } from '../../../../app/contract/sentences/connections.ts';

export const connections: Record<keyof typeof english, string> = {
  'connections-not-led-here':
    'Das System-DNS führt nicht zu Sotto. Auch Programme, die eine Adresse von einem anderen Resolver haben, stehen hier.',
  'connections-unread':
    'Dieser Rechner hat mehr Sockets, als gelesen werden; die übrigen wurden nicht angesehen.',
  'connections-brief':
    'Verbindungen werden alle {seconds} Sekunden angesehen. Eine kürzere wird nur zufällig gesehen.',
  'connections-unconnected':
    'Datagramme aus einem Socket, der mit niemandem verbunden ist, werden nicht gesehen. Ein verbundener hat vielleicht nichts gesendet.',
  'connections-elsewhere':
    'Verbindungen von Containern und virtuellen Maschinen mit eigenem Netz werden nicht gesehen.',
  'connections-named-elsewhere':
    'Ein Programm steht hier auch, wenn es die Adresse vor Beginn der Prüfung bekam, aus /etc/hosts, von einem anderen Rechner oder aus einem Zwischenspeicher wie nscd.',
  'connections-shared':
    'Eine Adresse, die ein Programm bekam, gilt als allen gegeben, auch wenn mehrere Namen sie teilen.',
  'connections-evaded':
    'Ein Programm, das hier nicht stehen will, kann es vermeiden: mit einer kurzen Verbindung, einem Port, auf dem es lauscht, oder einem Namen mit dieser Adresse.',
};
