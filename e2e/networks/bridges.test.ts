/** Containers behind bridges get responses at the address of docker0; another computer that finds a route to it does not. */
import { expect, it } from 'vitest';
import { helper } from '../../build/places.mjs';
import { describeInNetworks } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { type Lab, labForTest } from '../rig/lab.ts';
import { Namespace } from '../rig/network/namespace.ts';
import { Resolver } from '../rig/peers/resolver.ts';

const address = '172.17.0.1';
const name = 'www.corp.example';
const composed = 'br-0123456789ab';
const leadsOut = 'br-fedcba987654';
const tunnelled = 'br-aaaaaaaaaaaa';

describeInNetworks(['dig'], 'listening on bridges', () => {
  it('answers containers of each bridge, also of one that is made later, over UDP and TCP', async () => {
    const { lab, computer, container } = await open();
    expect(await asked(container)).toBe('192.0.2.20');
    expect(await asked(container, '+tcp')).toBe('192.0.2.20');
    expect(await asked(computer)).toBe('192.0.2.20');

    await addBridge(computer, composed, '172.18.0.1/16');
    const later = await plugIn(lab, computer, composed, '172.18.0.2/16', '172.18.0.1');
    await eventually('the later bridge is served', () => isServed(later));
    expect(await asked(later, '+tcp')).toBe('192.0.2.20');
  });

  it('answers a container while its neighbour asks far more than is answered', async () => {
    const { lab, computer, container } = await open();
    const neighbour = await plugIn(lab, computer, 'docker0', '172.17.0.3/16', address);
    expect(await asked(neighbour)).toBe('192.0.2.20');
    const flooding = lab.adopt(await neighbour.start(process.execPath, ['-e', flood, address]));
    await flooding.line(/sent/);
    await eventually('the container is served', () => isServed(container));
    expect(await asked(container, '+tcp')).toBe('192.0.2.20');
    expect(flooding.exit).toBeUndefined();
  });

  it('gives nothing to another computer, whatever route that has', async () => {
    const { lab, computer } = await open();
    const stranger = await Namespace.create(lab, 'stranger');
    await cable(computer, stranger, 'eth0');
    await computer.ip('addr', 'add', '198.51.100.1/24', 'dev', 'eth0');
    await stranger.ip('addr', 'add', '198.51.100.2/24', 'dev', 'eth0');
    await stranger.ip('route', 'add', `${address}/32`, 'via', '198.51.100.1');
    const reaches = await stranger.run('ping', ['-c', '1', '-W', '30', address]);
    expect(reaches.stdout).toContain('1 received');

    expect(await asked(stranger, soon)).toBe('');
    expect(await asked(stranger, soon, '+tcp')).toBe('');
    // Also where it says that it is a container.
    await stranger.ip('addr', 'add', '172.17.0.9/32', 'dev', 'lo');
    expect(await asked(stranger, soon, '-b', '172.17.0.9')).toBe('');
  });

  it('does not listen on a bridge with anything but containers in it', async () => {
    const { computer } = await open();
    await addBridge(computer, leadsOut, '172.19.0.1/16');
    await addBridge(computer, tunnelled, '172.20.0.1/16');
    await computer.ip('tuntap', 'add', 'dev', 'tap', 'mode', 'tap');
    await computer.ip('link', 'set', 'tap', 'master', leadsOut, 'up');
    const over = ['type', 'vxlan', 'id', '5', 'dstport', '4789', 'dev', 'lo'];
    await computer.ip('link', 'add', 'tunnel', ...over);
    await computer.ip('link', 'set', 'tunnel', 'master', tunnelled, 'up');
    await addBridge(computer, composed, '172.18.0.1/16');
    // before anything was in them, they may have been listened on
    await eventually('of the new bridges only the other is served', async () => {
      const now = await listening(computer);
      return now.includes(composed) && !now.includes(leadsOut) && !now.includes(tunnelled);
    });
  });
});

/** 400 queries for other names each, each second anew; nobody answers them, so that each waits for as long as it may. */
const flood = `
  const socket = require('node:dgram').createSocket('udp4');
  const silent = '0673696c656e74' + '076578616d706c65' + '00' + '00010001';
  const query = (number) => {
    const label = Buffer.from(String(number % 10_000).padStart(4, '0')).toString('hex');
    return Buffer.from('0001' + '0100' + '0001' + '000000000000' + '04' + label + silent, 'hex');
  };
  const everyMs = 1000;
  const send = (number) => {
    if (number % 400 === 0 && number > 0) process.stdout.write('sent\\n');
    const next = () => (number % 400 === 399 ? setTimeout(send, everyMs, number + 1) : setImmediate(send, number + 1));
    socket.send(query(number), 53, process.argv[1], next);
  };
  send(0);
`;

async function open() {
  const lab = await labForTest();
  const computer = await Namespace.create(lab, 'computer');
  await computer.ip('link', 'set', 'lo', 'up');
  await Resolver.start(lab, computer, {
    addresses: ['127.0.0.1'],
    names: { [name]: ['A 192.0.2.20'] },
    drops: ['silent.example'],
  });
  await addBridge(computer, 'docker0', `${address}/16`);
  const container = await plugIn(lab, computer, 'docker0', '172.17.0.2/16', address);
  lab.adopt(await computer.start(helper, ['bridges']));
  await eventually('docker0 is served', () => isServed(container));
  return { lab, computer, container };
}

async function addBridge(computer: Namespace, bridge: string, at: string): Promise<void> {
  await computer.ip('link', 'add', bridge, 'type', 'bridge');
  await computer.ip('addr', 'add', at, 'dev', bridge);
  await computer.ip('link', 'set', bridge, 'up');
}

/** A network namespace on a bridge, as a container is. */
async function plugIn(lab: Lab, computer: Namespace, bridge: string, at: string, gateway: string) {
  const container = await Namespace.create(lab, 'container');
  const [, second, , fourth] = (at.split('/')[0] ?? '').split('.');
  const end = `veth${second}-${fourth}`;
  await cable(computer, container, end);
  await computer.ip('link', 'set', end, 'master', bridge);
  await container.ip('addr', 'add', at, 'dev', 'eth0');
  await container.ip('route', 'add', 'default', 'via', gateway);
  return container;
}

/** Its end is called eth0 there. */
async function cable(computer: Namespace, there: Namespace, end: string): Promise<void> {
  const peer = ['peer', 'name', 'eth0', 'netns', there.name];
  await computer.ip('link', 'add', end, 'type', 'veth', ...peer);
  await computer.ip('link', 'set', end, 'up');
  await there.ip('link', 'set', 'lo', 'up');
  await there.ip('link', 'set', 'eth0', 'up');
}

/** For dig: a response that does not come is not waited for. */
const soon = '+time=5';

async function isServed(container: Namespace): Promise<boolean> {
  return (await asked(container, soon)) === '192.0.2.20';
}

/** The response's address; empty: there was none. */
async function asked(from: Namespace, ...words: string[]): Promise<string> {
  const query = [`@${address}`, name, 'A', '+short', '+time=30', '+tries=1', ...words];
  const { code, stdout } = await from.run('dig', query);
  return code === 0 ? stdout.trim() : '';
}

async function listening(computer: Namespace): Promise<string> {
  return (await computer.run('ss', ['-Hlnu'])).stdout;
}
