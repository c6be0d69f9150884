/** dnscrypt-proxy.toml */
import { eachField, mapOf, textOf, textsOf } from './located-fields.ts';
import { type Located, readToml } from './read-foreign.ts';
import { takeStamp } from './server-words.ts';
import type { Taken } from './taken.ts';

export function importDnscryptProxy(text: string, taken: Taken): void {
  const file = mapOf(readToml(text));
  const chosen = textsOf(file.get('server_names'));
  const stated = mapOf(file.get('static'));
  eachField(file, taken, {
    server_names: (field) => {
      for (const name of chosen.filter((one) => !stated.has(one)))
        taken.tell(
          `server_names ${name}`,
          'refused: it stands in a list that dnscrypt-proxy fetches, of servers for DNSCrypt and DNS over HTTPS, transports that Sotto does not speak',
          field.line,
        );
    },
    static: () => {
      for (const [name, server] of stated) takeStatic(taken, name, server, chosen);
    },
    forwarding_rules: (field) => {
      taken.tell(
        'forwarding_rules',
        `left out: it is another file, ${textOf(field)}; write its names as bypass rules`,
        field.line,
      );
    },
  });
}

function takeStatic(taken: Taken, name: string, server: Located, chosen: readonly string[]): void {
  const about = `static.${name}`;
  const field = mapOf(server).get('stamp');
  const stamp = textOf(field);
  if (chosen.length > 0 && !chosen.includes(name))
    taken.tell(about, 'left out: "server_names" does not choose it', server.line);
  else if (stamp === null) taken.tell(about, 'left out: it has no stamp', server.line);
  else takeStamp(taken, stamp, { about, line: field?.line ?? server.line });
}
