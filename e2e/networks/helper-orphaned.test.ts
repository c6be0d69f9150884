/**
 * What the helper does with what was taken when service and guardian are gone: it follows the stop reason and the policy that
 * they left.
 */
import { expect, it } from 'vitest';
import { describeInNetworks } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForTest } from '../rig/lab.ts';
import { Helper } from './helper.ts';
import { Machine } from './machine.ts';

const policyFile = '/run/guardian.json';
const loose = '{"policy":"warn","locked":false,"taken":true}';
const before = 'nameserver 192.0.2.1\n';
const take = { verb: 'take-file', servers: [{ address: '127.0.0.1', port: 53 }] };

describeInNetworks(['busctl'], 'DNS without service and guardian', () => {
  it('is given back once both are gone, with a line that the next service takes over', async () => {
    const { helper, isTaken, orphaned } = await open(loose);
    const [service, guardian] = [await helper.hold(), await helper.hold()];
    await helper.ask(take);
    await service();
    await guardian();
    await eventually('it is given back', async () => !(await isTaken()));
    const [line] = await orphaned();
    expect(line).toEqual({ since: expect.any(Number), reason: expect.stringMatching(/died/) });
    await helper.restart();
    expect(await orphaned()).toHaveLength(1);
    await helper.ask({ verb: 'forget-orphaned', until: (line?.since ?? 0) - 1 });
    expect(await orphaned()).toHaveLength(1);
    await helper.ask({ verb: 'forget-orphaned', until: line?.since });
    expect(await orphaned()).toEqual([]);
  });

  it('is found by a helper that died with them', async () => {
    const { helper, isTaken, orphaned } = await open(loose);
    await helper.hold();
    await helper.ask(take);
    await helper.restart();
    await eventually('it is given back', async () => !(await isTaken()));
    expect(await orphaned()).toHaveLength(1);
  });

  it.each([
    ['under refuse', '{"policy":"refuse","locked":false,"taken":true}'],
    ['under a lock', '{"policy":"fallback","locked":true,"taken":true}'],
    ['without a word', ''],
  ])('stays %s, and the log says so', async (_, policy) => {
    const { helper, isTaken, orphaned } = await open(policy);
    const gone = await helper.hold();
    await helper.ask(take);
    await gone();
    await eventually('it is said', () => helper.transcript().includes('policy keeps it'));
    expect([await isTaken(), await orphaned()]).toEqual([true, []]);
  });

  it.each(['restart', 'shutdown'])('stays taken where they come back in time: %s', async (word) => {
    const { machine, helper, isTaken, orphaned } = await open(loose);
    await machine.write('/run/sotto-helper/stop-reason', `${word}\n`);
    const gone = await helper.hold();
    await helper.ask(take);
    await gone();
    const again = await helper.hold();
    // From now on no stop reason announces a return, so a helper that still waits would give back.
    await machine.shell('rm /run/sotto-helper/stop-reason');
    expect([await isTaken(), await orphaned()]).toEqual([true, []]);
    await again();
    await eventually('it is given back', async () => !(await isTaken()));
  });
});

async function open(policy: string) {
  const lab = await labForTest();
  const machine = await Machine.create(lab, 'orphaned');
  await machine.write('/etc/resolv.conf', before);
  await machine.write(policyFile, policy);
  const helper = await Helper.start(lab, machine, '--policy', policyFile);
  return {
    machine,
    helper,
    isTaken: async () => (await machine.read('/etc/resolv.conf')) !== before,
    async orphaned() {
      const said = await helper.ask({ verb: 'status' });
      return 'held' in said ? (said.orphaned ?? []) : [];
    },
  };
}
