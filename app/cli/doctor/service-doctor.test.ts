/** The doctor that the service runs for a client respects the client's role, as the command line does. */
import { expect, test } from 'vitest';
import { fail, succeed } from '../../contract/errors.ts';
import type { Role, ServiceHandlers } from '../../contract/service-api.ts';
// biome-ignore lint/style/noRestrictedImports: a session with a role, as the service has them.
import { someSession } from '../../service/control/session-fixture.ts';
import { createDoctorHandlers } from '../../service/doctor/doctor-handlers.ts';
// biome-ignore lint/style/noRestrictedImports: what the service begins for a client.
import { createWorks } from '../../service/works/works.ts';
import { someEvent, someStatus } from '../fixtures/made-up.ts';

const met = someEvent({ name: 'nas.example', outcome: 'refused', rule: 'private address' });

test.each<[Role, string[]]>([
  ['control', []],
  ['administer', ['nas.example']],
])('names that rebinding protection refuses are told to the role %s: %j', async (role, names) => {
  const known = {
    'status.get': () => succeed(someStatus({ upstreams: [], listening: [] })),
    'log.query': () => succeed({ events: Array.from({ length: 5 }, () => met) }),
  };
  const handlers = new Proxy(known, {
    get: (all, name) => Reflect.get(all, name) ?? (() => fail('engine-failed', 'no', 'none')),
  });
  const { session, told } = someSession(role);
  const doctor = createDoctorHandlers({
    engine: {} as never,
    works: createWorks((error) => {
      throw error;
    }),
    handlers: () => handlers as unknown as ServiceHandlers,
    surroundings: () => ({
      paths: { stateFolder: '/', ledgerFile: '/none/ledger.sqlite' },
      queryLog: null,
      now: 1,
      built: 0,
    }),
  });
  await doctor['doctor.run']({}, session);
  await expect.poll(() => told.some((progress) => (progress as { done: boolean }).done)).toBe(true);
  const found = told.flatMap(
    (progress) => (progress as { items: { check: string; subject: string }[] }).items,
  );
  expect(found.length).toBeGreaterThan(0);
  expect(found.filter(({ check }) => check === 'rebinding').map(({ subject }) => subject)).toEqual(
    names,
  );
});
