/** The contract's method `doctor.run`: the service examines itself, by the checks of `sotto doctor`. */
import { fail } from '../../contract/errors.ts';
import {
  type MethodName,
  mayCall,
  type ServiceHandlers,
  type ServiceSession,
} from '../../contract/service-api.ts';
import type { Finding } from '../../contract/status/finding.ts';
import type { EngineDriver } from '../engine/engine-driver.ts';
import type { Works } from '../works/works.ts';
import type { Caller } from './caller.ts';
import { examineService, type Surroundings } from './examine-service.ts';
import type { AskAddress } from './listening-check.ts';

const timeoutMs = 3000;

interface DoctorParts {
  engine: EngineDriver;
  works: Works;
  /** the other handlers, which are asked as a client would ask them */
  handlers(): ServiceHandlers;
  surroundings(): Surroundings;
}

export function createDoctorHandlers({
  engine,
  works,
  handlers,
  surroundings,
}: DoctorParts): Pick<ServiceHandlers, 'doctor.run'> {
  const ask: AskAddress = async (query, transport, address) => {
    const server = { transport, addresses: [address], names: [], timeoutMs };
    const probed = await engine.probe(query, server);
    if (!probed.ok) return { ms: 0, error: probed.failure.message };
    const { ok, ms, error } = probed.value;
    return { ms, error: ok ? null : (error?.message ?? 'no answer') };
  };

  return {
    'doctor.run': (_params, session) =>
      works.begin<Finding>(
        session,
        async (tell, signal) => {
          const service = within(handlers(), session);
          for await (const finding of examineService(service, surroundings(), ask)) {
            if (signal.aborted) return;
            tell(finding);
          }
        },
        (progress) => session.notify('doctor.found', progress),
      ),
  };
}

/** Calls without a socket in between, with the client's role: it gets the replies that `sotto doctor` would get. */
function within(handlers: ServiceHandlers, session: ServiceSession): Caller {
  return {
    call: async (name, params) => {
      if (!mayCall(session.role, name))
        return fail(
          'forbidden',
          `"${name}" is not for the role ${session.role}`,
          'ask an administrator',
        );
      const handler = handlers[name as Exclude<MethodName, 'hello'>];
      return (await handler(params as never, session)) as never;
    },
  };
}
