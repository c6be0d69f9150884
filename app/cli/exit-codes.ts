/** The exit status of a command. Scripts depend on it. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, notRunning: 3 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export const exitCodesHelp = `Exit codes:
  0  done
  1  what was asked for failed, for example no response
  2  wrong usage or bad input
  3  the service is not running`;
