/**
 * The installed units at work without systemd: their own commands, as their user, without privileges, with the sockets of
 * sotto.socket. Another guardian stands in for systemd, whose protocol it speaks.
 */
import type { Lab } from '../rig/lab.ts';
import type { Program } from '../rig/process.ts';
import { type InstallTarget, sources } from './install-target.ts';
import { readUnit } from './unit.ts';

const units = '/usr/lib/systemd/system';
const guardian = `${sources}/target/release/sotto-guardian`;
const unprivileged = ['--inh-caps=-all', '--bounding-set=-all', '--no-new-privs'];

export async function startService(lab: Lab, machine: InstallTarget): Promise<Program> {
  const service = readUnit(await machine.read(`${units}/sotto.service`));
  const socket = readUnit(await machine.read(`${units}/sotto.socket`));
  const user = service.value('User');
  for (const [setting, parent] of [
    ['StateDirectory', '/var/lib'],
    ['RuntimeDirectory', '/run'],
  ] as const) {
    const mode = service.value(`${setting}Mode`) || '0755';
    const folder = `${parent}/${service.value(setting)}`;
    await machine.succeed(['install', '-d', '-m', mode, '-o', user, '-g', user, folder]);
  }
  await machine.succeed(['install', '-d', '-m', '0777', '/run/systemd-stands-in']);
  const held = socket.all('ListenDatagram').flatMap((address) => ['--listen', address]);
  const become = ['setpriv', '--reuid', user, '--regid', user, '--init-groups', ...unprivileged];
  const program = await machine.start(lab, [
    ...['sh', '-c', 'umask 0; exec "$@"', 'sh', guardian],
    ...[...held, '--state', '/run/systemd-stands-in', '--watchdog', '5', '--'],
    ...[...become, '--', 'env', ...service.all('Environment'), ...service.command],
  ]);
  // the stand-in reports this once the installed guardian has reported it
  await program.ready(async () => program.stderr.split('the service is ready').length > 2);
  return program;
}

export async function startHelper(lab: Lab, machine: InstallTarget): Promise<Program> {
  const { command } = readUnit(await machine.read(`${units}/sotto-helper.service`));
  const program = await machine.start(lab, command);
  await program.ready(
    async () => (await machine.run(['test', '-S', '/run/sotto-helper/helper.sock'])).code === 0,
  );
  return program;
}
