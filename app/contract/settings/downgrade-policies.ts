/** What may happen when no private path works, the strictest first. */
export const downgradePolicies = ['refuse', 'warn', 'fallback'] as const;
export type DowngradePolicy = (typeof downgradePolicies)[number];
