/** Forwarders, which take sotto-server for a resolver. */
import { encdnsZone, unboundForwarding } from '../peers/encdns-server.ts';
import { text } from '../raw-client.ts';
import { type CarrierKind, startCarrier, yesOrNo } from './carrier.ts';
import { startKnotResolver } from './knot-resolver.ts';

export const dnsmasq: CarrierKind = {
  title: 'dnsmasq',
  needs: ['dnsmasq'],
  packages: ['dnsmasq-base'],
  options: [],
  start: (lab, server) =>
    startCarrier(lab, 'dnsmasq', ({ address, port }) => ({
      file: [
        'dnsmasq.conf',
        [
          `listen-address=${address}`,
          `port=${port}`,
          'bind-interfaces',
          'no-resolv',
          'no-hosts',
          'pid-file=',
          `server=/${encdnsZone}/${server.address}#${server.port}`,
        ].join('\n'),
      ],
      words: ['--keep-in-foreground', '--conf-file=dnsmasq.conf'],
    })),
};

export const dnsmasqThenUnbound: CarrierKind = {
  title: 'dnsmasq, then unbound as a forwarder',
  needs: ['dnsmasq', 'unbound'],
  packages: ['dnsmasq-base', 'unbound'],
  options: ['random case'],
  start: async (lab, server, chosen) => {
    const randomCase = `use-caps-for-id: ${yesOrNo(chosen, 'random case')}`;
    return await dnsmasq.start(lab, await unboundForwarding(lab, server, randomCase), chosen);
  },
};

export const knotForwarder: CarrierKind = {
  title: 'Knot Resolver as a forwarder',
  needs: ['kresd'],
  packages: ['knot-resolver'],
  options: ['random case'],
  start: (lab, server, chosen) =>
    startKnotResolver(lab, [
      `option('NO_0X20', ${!chosen.has('random case')})`,
      `policy.add(policy.all(policy.STUB({ '${server.address}@${server.port}' })))`,
    ]),
};

export const dnsdist: CarrierKind = {
  title: 'dnsdist',
  needs: ['dnsdist'],
  packages: ['dnsdist'],
  options: [],
  start: (lab, server) =>
    startCarrier(lab, 'dnsdist', (at) => ({
      file: [
        'dnsdist.conf',
        [
          `setLocal("${text(at)}")`,
          `newServer({ address = "${text(server)}", healthCheckMode = "up" })`,
          'setSecurityPollSuffix("")',
        ].join('\n'),
      ],
      words: ['-C', 'dnsdist.conf', '--supervised', '--disable-syslog'],
    })),
};

export const smartdns: CarrierKind = {
  title: 'smartdns',
  needs: ['smartdns'],
  packages: ['smartdns'],
  options: [],
  start: (lab, server) =>
    startCarrier(lab, 'smartdns', (at) => ({
      file: [
        'smartdns.conf',
        [
          `bind ${text(at)}`,
          `bind-tcp ${text(at)}`,
          `server ${text(server)}`,
          'cache-persist no',
          'cache-file smartdns.cache',
          'speed-check-mode none',
          'dualstack-ip-selection no',
          'log-level fatal',
          'log-file smartdns.log',
        ].join('\n'),
      ],
      words: ['-f', '-p', '-', '-c', 'smartdns.conf'],
    })),
};
