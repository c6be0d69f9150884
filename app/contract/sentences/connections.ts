/** What the audit of connections can't see: `sotto connections`. */
export const connectionsSentences = {
  'connections-not-led-here':
    "The system's DNS is not with Sotto. Programs that got an address from another resolver are listed, too.",
  'connections-unread':
    'This computer has more sockets than are read; the others were not looked at.',
  'connections-brief':
    'Connections are looked at every {seconds} seconds. One that lasts less is seen by chance only.',
  'connections-unconnected':
    'Datagrams from a socket that is connected to nobody are not seen. A connected one may have sent nothing.',
  'connections-elsewhere':
    'Connections of containers and virtual machines that have a network of their own are not seen.',
  'connections-named-elsewhere':
    'A program is listed, too, where it got the address before the audit began, from /etc/hosts, from another computer, or from a cache such as nscd.',
  'connections-shared':
    'An address that one program was given counts as given to all, also where several names share it.',
  'connections-evaded':
    'A program that does not want to be listed can avoid it: with a short connection, a port on which it listens, or a name that has the address.',
} as const;
