/** The messages between the page's preload and the tray's process. */
export const channels = {
  connect: 'sotto:connect',
  call: 'sotto:call',
  disconnect: 'sotto:disconnect',
  pour: 'sotto:pour',
  poured: 'sotto:poured',
  stopPouring: 'sotto:stop-pouring',
  askAuthority: 'sotto:ask-authority',
  stopAsking: 'sotto:stop-asking',
  startService: 'sotto:start-service',
  startAtLogin: 'sotto:start-at-login',
  setStartAtLogin: 'sotto:set-start-at-login',
  notices: 'sotto:notices',
  setNotices: 'sotto:set-notices',
  told: 'sotto:told',
  closed: 'sotto:closed',
} as const;
