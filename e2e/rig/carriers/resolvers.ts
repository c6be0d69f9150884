/** Resolvers that take sotto-server for the authoritative server of the EncDNS zone. */
import { encdnsZone, unboundBefore } from '../peers/encdns-server.ts';
import { Nsd } from '../peers/nsd.ts';
import { PlainTap } from '../peers/plain-tap.ts';
import { text } from '../raw-client.ts';
import { writeZone } from '../zones/zone-file.ts';
import { type CarrierKind, type Chosen, carrierOptions, startCarrier, yesOrNo } from './carrier.ts';
import { startKnotResolver } from './knot-resolver.ts';

export const unbound: CarrierKind = {
  title: 'unbound',
  needs: ['unbound'],
  packages: ['unbound'],
  options: carrierOptions,
  start: (lab, server, chosen) =>
    unboundBefore(
      lab,
      server,
      `use-caps-for-id: ${yesOrNo(chosen, 'random case')}`,
      `qname-minimisation: ${yesOrNo(chosen, 'minimisation')}`,
      `qname-minimisation-strict: ${yesOrNo(chosen, 'strict minimisation')}`,
    ),
};

/** A static-stub zone names no port for its servers: `port` is that of all servers. */
export const bind: CarrierKind = {
  title: 'BIND',
  needs: ['named'],
  packages: ['bind9'],
  options: ['minimisation', 'strict minimisation'],
  start: (lab, server, chosen) =>
    startCarrier(lab, 'named', ({ address, port }) => ({
      file: [
        'named.conf',
        `options {
  directory ".";
  pid-file none;
  session-keyfile none;
  listen-on port ${port} { ${address}; };
  listen-on-v6 { none; };
  port ${server.port};
  dnssec-validation no;
  qname-minimization ${howBindMinimises(chosen)};
};
controls { };
zone "${encdnsZone}" { type static-stub; server-addresses { ${server.address}; }; };`,
      ],
      words: ['-g', '-c', 'named.conf'],
    })),
};

function howBindMinimises(chosen: Chosen): 'off' | 'relaxed' | 'strict' {
  if (chosen.has('strict minimisation')) return 'strict';
  return chosen.has('minimisation') ? 'relaxed' : 'off';
}

/** It asks step by step only from a root on, and port 53 only: both have addresses of their own. */
export const knotResolver: CarrierKind = {
  title: 'Knot Resolver',
  needs: ['kresd', 'nsd', 'a lab'],
  packages: ['knot-resolver'],
  options: ['random case', 'minimisation'],
  start: async (lab, server, chosen) => {
    const [ofRoot, ofServer] = [nextAddress(), nextAddress()];
    await PlainTap.start(lab, server, { address: ofServer, port: 53 });
    const delegation = [`${encdnsZone}. NS ns.${encdnsZone}.`, `ns.${encdnsZone}. A ${ofServer}`];
    const zones = [await writeZone(lab, '', delegation)];
    await Nsd.start(lab, { at: { address: ofRoot, port: 53 }, zones });
    return await startKnotResolver(lab, [
      `hints.root({ ['ns.'] = '${ofRoot}' })`,
      `option('ALLOW_LOCAL', true)`,
      `option('NO_0X20', ${!chosen.has('random case')})`,
      `option('NO_MINIMIZE', ${!chosen.has('minimisation')})`,
    ]);
  },
};

let addresses = 0;

/** On loopback, and no other process of this rig has it. */
function nextAddress(): string {
  return `127.${100 + (++addresses % 100)}.${(process.pid >> 8) & 0xff}.${process.pid & 0xff}`;
}

export const recursor: CarrierKind = {
  title: 'PowerDNS Recursor',
  needs: ['pdns_recursor'],
  packages: ['pdns-recursor'],
  options: ['minimisation'],
  start: (lab, server, chosen) =>
    startCarrier(lab, 'pdns_recursor', ({ address, port }) => ({
      file: [
        'recursor.conf',
        [
          `local-address=${address}`,
          `local-port=${port}`,
          `forward-zones=${encdnsZone}=${text(server)}`,
          'dont-query=',
          'socket-dir=.',
          'security-poll-suffix=',
          'dnssec=off',
          `qname-minimization=${yesOrNo(chosen, 'minimisation')}`,
        ].join('\n'),
      ],
      words: ['--config-dir=.', '--daemon=no', '--write-pid=no', '--disable-syslog'],
    })),
};
