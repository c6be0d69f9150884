/** Names that were never queried before, so that no cache has them. */

/** Names that are each in a domain of their own. */
export function names(label: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `q${index}.${label}-${index}.example`);
}

/** Under suffixes of one label and of two labels, and under a private suffix. */
const suffixes = ['example', 'co.uk', 'github.io'];

export const domains = Array.from(
  { length: 90 },
  (_, index) => `d${index}.${suffixes[index % suffixes.length]}`,
);

/** Two names in each domain. */
export function hosts(label: string): string[] {
  return ['', 'deep.'].flatMap((depth) => domains.map((domain) => `${label}.${depth}${domain}`));
}

export function domainOf(host: string): string {
  const domain = domains.find((each) => host.endsWith(`.${each}`));
  if (domain === undefined) throw new Error(`${host} is in none of the domains`);
  return domain;
}
