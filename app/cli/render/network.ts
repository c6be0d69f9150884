/** `sotto network`: the known networks, and the details of one. */
import type { NetworkDetails, NetworkEntry, NetworkResult } from '../../contract/system/network.ts';
import { safe } from '../../contract/text/visible-text.ts';
import { dayAndMinute } from '../terminal/clock.ts';
import { renderTable } from '../terminal/table.ts';

export function renderNetworks({ networks, unavailable }: NetworkResult<'list'>): string[] {
  const lines = unavailable === null ? [] : [`${safe(unavailable)}.`];
  if (networks.length === 0) return [...lines, 'No network is remembered yet.'];
  const rows = networks.map((network) => [
    network.current ? '▸' : '',
    safe(network.id),
    safe(network.name ?? '–'),
    network.policy ?? 'as the settings',
    network.authenticated ? 'yes' : 'no',
    dayAndMinute(network.lastSeen),
    safe(network.label),
  ]);
  const titles = ['', 'id', 'name', 'policy', 'upstream proved', 'last seen', 'looks like'];
  return [
    ...lines,
    ...renderTable(
      titles.map((title) => ({ title })),
      rows,
    ),
  ];
}

export function renderNetwork({ network, links, confirmed }: NetworkDetails): string[] {
  return [
    `Network     ${safe(network.name ?? network.label)}${network.current ? ' (you are on it)' : ''}`,
    ...(network.name === null ? [] : [`Looks like  ${safe(network.label)}`]),
    `Id          ${safe(network.id)}`,
    `Policy      ${policyLine(network, confirmed)}`,
    `Upstream    ${network.authenticated ? 'has proved itself here' : 'has never proved itself here'}`,
    `Gateway     ${gatewayLine(network)}`,
    ...(network.hints.domain === null ? [] : [`Domain      ${safe(network.hints.domain)}`]),
    `First seen  ${dayAndMinute(network.firstSeen)}`,
    `Last seen   ${dayAndMinute(network.lastSeen)}`,
    ...renderLinks(links),
  ];
}

function policyLine({ policy, current }: NetworkEntry, confirmed: boolean): string {
  if (policy === null) return 'as the settings say';
  return current && !confirmed
    ? `${policy}, if stricter than the settings: nothing has proved yet that this is the network it was given to`
    : policy;
}

function gatewayLine({ hints: { gateway, gatewayMac, interface: link } }: NetworkEntry): string {
  if (gateway === null) return link === null ? 'none' : `none: a link of two (${safe(link)})`;
  const hardware = gatewayMac === null ? 'hardware address not yet known' : safe(gatewayMac);
  return `${safe(gateway)}, ${hardware}${link === null ? '' : `, on ${safe(link)}`}`;
}

function renderLinks(links: NetworkDetails['links']): string[] {
  if (links.length === 0) return [];
  const rows = links.map(({ name, kind, running, addresses, resolvers, domains }) => [
    safe(name),
    kind,
    running ? 'running' : 'no carrier',
    safe(addresses.join(' ')) || '–',
    safe(resolvers.join(' ')) || '–',
    safe(domains.join(' ')),
  ]);
  const titles = ['link', 'kind', 'state', 'addresses', 'resolvers', 'domains'];
  return [
    '',
    ...renderTable(
      titles.map((title) => ({ title })),
      rows,
    ),
  ];
}
