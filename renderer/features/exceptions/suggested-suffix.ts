/**
 * The suffix to propose for a bypass of `name`: probably its registrable domain. Only a proposal: the person edits it, and the
 * service, which has the list of public suffixes, refuses one that is too wide.
 */
export function suggestedSuffix(name: string): string {
  const labels = name.toLowerCase().replace(/\.$/, '').split('.');
  const [second = '', top = ''] = labels.slice(-2);
  const isShared = top.length === 2 && sharedLabels.has(second);
  return labels.slice(isShared ? -3 : -2).join('.');
}

/** Below a country's own domain these belong to registries, too: "co.uk". */
const sharedLabels = new Set(['ac', 'co', 'com', 'edu', 'gov', 'gv', 'net', 'or', 'org']);
