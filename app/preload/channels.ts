/** The messages between the page's preload and the tray's process. */
export const channels = {
  connect: 'sotto:connect',
  call: 'sotto:call',
  disconnect: 'sotto:disconnect',
  pour: 'sotto:pour',
  poured: 'sotto:poured',
  stopPouring: 'sotto:stop-pouring',
  told: 'sotto:told',
  closed: 'sotto:closed',
} as const;
