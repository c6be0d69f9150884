/** AdGuardHome.yaml */
import { parseSocketAddress } from '../../../../contract/dns/socket-address.ts';
import { eachField, itemsOf, mapOf, textOf } from './located-fields.ts';
import { type Located, readYaml } from './read-foreign.ts';
import { takeServer } from './server-words.ts';
import type { Taken } from './taken.ts';

export function importAdguardHome(text: string, taken: Taken): void {
  eachField(mapOf(readYaml(text)), taken, {
    schema_version: () => {},
    dns: (dns) => {
      eachField(
        mapOf(dns),
        taken,
        {
          upstream_dns: (list) => {
            for (const [index, one] of itemsOf(list).entries())
              takeEntry(taken, one, `dns.upstream_dns[${index}]`);
          },
          upstream_mode: (mode) => takeMode(taken, mode),
          bootstrap_dns: (list) => {
            if (itemsOf(list).length > 0)
              taken.tell(
                'dns.bootstrap_dns',
                'left out: Sotto looks up no names of servers, so it needs none',
                list.line,
              );
          },
          upstream_dns_file: (file) => {
            if (textOf(file) !== '' && textOf(file) !== null)
              taken.tell(
                'dns.upstream_dns_file',
                'left out: it is another file, which is not read',
                file.line,
              );
          },
        },
        'dns.',
      );
    },
  });
}

function takeMode(taken: Taken, mode: Located): void {
  const word = textOf(mode);
  if (word === 'parallel') taken.strategy = 'race';
  else
    taken.tell(
      'dns.upstream_mode',
      `"${word}" is left out: the first upstream that works responds`,
      mode.line,
    );
}

/** "server", or "[/name/name/]server server": those names go there. */
function takeEntry(taken: Taken, entry: Located, about: string): void {
  const { line } = entry;
  const text = textOf(entry)?.trim() ?? '';
  if (text === '' || text.startsWith('#')) return;
  const [, inner, rest] = /^\[\/(.*?)\/\](.*)$/.exec(text) ?? [];
  if (inner === undefined || rest === undefined) {
    takeServer(taken, text, { about, line });
    return;
  }
  takeForNames(taken, { names: inner.split('/'), servers: rest.trim().split(/\s+/), about, line });
}

interface ForNames {
  names: readonly string[];
  servers: readonly string[];
  about: string;
  line: number;
}

function takeForNames(taken: Taken, { names, servers, about, line }: ForNames): void {
  if (names.some((name) => name === '' || name.includes('*')) || servers.includes('#')) {
    taken.tell(
      about,
      'left out: only domains with all names below them can be taken, and servers for them',
      line,
    );
    return;
  }
  const plain = servers.filter((server) => parseSocketAddress(server) !== null);
  if (plain.length === servers.length) {
    for (const name of names) taken.rule(name, plain, line);
    return;
  }
  for (const server of plain)
    taken.tell(
      about,
      `${server} is left out: it is unencrypted, beside servers that are not`,
      line,
    );
  const group = taken.group(names, line);
  if (group === null) return;
  for (const server of servers.filter((one) => !plain.includes(one)))
    takeServer(taken, server, { about, line, group });
}
