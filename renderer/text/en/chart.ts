/** Queries drawn over time, on several pages. */
export const chart = {
  title: 'Queries',
  queries: (count: string, one: boolean) => (one ? '1 query' : `${count} queries`),
  counting: 'Counting …',
  choose: 'Drag to look into a time',
  classes: {
    encrypted: 'encrypted',
    cached: 'cached',
    exceptions: 'exceptions',
    unencrypted: 'unencrypted',
    blocked: 'blocked',
    failed: 'failed',
  },
} as const;
