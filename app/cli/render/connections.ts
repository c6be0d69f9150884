/** `sotto connections`: addresses that no response gave, by program. */

import { formatSocketAddress } from '../../contract/dns/socket-address.ts';
import { askerName } from '../../contract/query-log/asker-name.ts';
import type {
  ConnectionAudit,
  ConnectionsReport,
  ListedAddress,
  ListedProgram,
} from '../../contract/system/connections.ts';
import { sayDuration } from '../../contract/text/duration.ts';
import { sayCount } from '../../contract/text/quantity.ts';
import { safe } from '../../contract/text/visible-text.ts';
import { dayAndMinute } from '../terminal/clock.ts';
import { renderTable } from '../terminal/table.ts';

export function renderConnections({ audit, limits }: ConnectionsReport, now: number): string[] {
  if (audit === null)
    return ['Connections are not looked at. To begin: sotto config set audit.connections true'];
  const { nameless, unjudged } = rowsOf(audit.programs);
  const since = `since ${dayAndMinute(audit.since)}, for ${sayDuration(now - audit.since)}`;
  return [
    ...(nameless.length === 0
      ? [`No program reached an address that no response gave, ${since}.`]
      : [`Addresses that no response gave, ${since}:`, '', ...table(nameless)]),
    ...(unjudged.length === 0
      ? []
      : [
          '',
          'Not judged, because it is not known whether a response gave the address:',
          '',
          ...table(unjudged),
        ]),
    '',
    ...summary(audit),
    '',
    'What this can not tell:',
    ...limits.map(({ text }) => `  ${safe(text)}`),
  ];
}

type Row = readonly [ListedProgram, ListedAddress];

function rowsOf(programs: readonly ListedProgram[]): { nameless: Row[]; unjudged: Row[] } {
  const rows = programs.flatMap((program) => program.addresses.map((one): Row => [program, one]));
  return {
    nameless: rows.filter(([, { standing }]) => standing === 'nameless'),
    unjudged: rows.filter(([, { standing }]) => standing !== 'nameless'),
  };
}

function table(rows: readonly Row[]): string[] {
  return renderTable(
    [
      { title: 'program' },
      { title: 'user' },
      { title: 'address' },
      { title: 'protocol' },
      { title: 'connections', align: 'right' },
      { title: 'open', align: 'right' },
      { title: 'first seen' },
      { title: 'last seen' },
      { title: 'what it is' },
    ],
    rows.map(([program, one]) => [
      safe(askerName(program)) || '–',
      safe(program.user),
      formatSocketAddress(one.address, one.port),
      one.protocol,
      String(one.connections),
      String(one.open),
      dayAndMinute(one.firstSeen),
      dayAndMinute(one.lastSeen),
      noteOf(one),
    ]),
  );
}

const standingNotes = {
  nameless: '',
  older: 'older than the audit',
  forgotten: 'addresses were forgotten',
} as const;

function noteOf({ standing, resolver }: ListedAddress): string {
  const what = resolver === null ? '' : `the resolver ${safe(resolver)}`;
  return [what, standingNotes[standing]].filter((note) => note !== '').join('; ');
}

function summary({ seen, trouble, addresses, leftOut }: ConnectionAudit): string[] {
  const room =
    leftOut === 0 ? [] : [`${sayCount(leftOut, 'address', 'addresses')} made room for newer ones.`];
  if (seen === null)
    return [
      `Connections could not be looked at${trouble === '' ? '' : `: ${safe(trouble)}`}.`,
      ...room,
    ];
  const { named, listed, accepted, nearby, own } = seen;
  return [
    `At the last look ${sayCount(named + listed + accepted + nearby + own, 'connection')}: ${named} to addresses that responses gave, ${listed} listed, ${accepted} opened by other computers, ${nearby} to this computer or its network, ${own} of Sotto itself. ${sayCount(addresses, 'address', 'addresses')} remembered.`,
    ...room,
  ];
}
