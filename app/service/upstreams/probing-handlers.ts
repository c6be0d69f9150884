/** The contract's methods that ask several servers and tell of each: `upstream.measure`, `upstream.crossCheck`, `catalogue.measure`, `query.askEach`; and `work.cancel`. */

import { fail } from '../../contract/errors.ts';
import type { ResponseOfOne } from '../../contract/probing/ask-each.ts';
import type { CrossChecked } from '../../contract/probing/cross-check.ts';
import type { ServiceHandlers } from '../../contract/service-api.ts';
import type { Settings } from '../../contract/settings/settings-shape.ts';
import type {
  MeasuredResolver,
  MeasuredUpstream,
} from '../../contract/settings/upstream-methods.ts';
import type { EngineDriver } from '../engine/engine-driver.ts';
import type { Resolver } from '../settings/resolver-catalogue.ts';
import { eachOf, type Works } from '../works/works.ts';
import { askEach, whomToAsk } from './ask-each.ts';
import type { CrossCheck } from './cross-check.ts';
import { measureResolver, measureUpstream, proxyFor } from './measure.ts';

type ProbingHandlers = Pick<
  ServiceHandlers,
  'upstream.measure' | 'upstream.crossCheck' | 'catalogue.measure' | 'query.askEach' | 'work.cancel'
>;

/** Handshakes that wait for each other would be measured, too. */
const measuredAtOnce = 3;

export function createProbingHandlers(
  engine: EngineDriver,
  catalogue: readonly Resolver[],
  works: Works,
  crossCheck: Pick<CrossCheck, 'check'>,
  settings: () => Pick<Settings, 'upstreams' | 'connections'>,
): ProbingHandlers {
  return {
    'upstream.measure': (_params, session) =>
      works.begin<MeasuredUpstream>(
        session,
        (tell, signal) =>
          eachOf(settings().upstreams, measuredAtOnce, signal, async ({ id }) =>
            tell(await measureUpstream(engine, id)),
          ),
        (progress) => session.notify('upstream.measured', progress),
      ),

    'upstream.crossCheck': (_params, session) =>
      works.begin<CrossChecked>(
        session,
        (tell, signal) => crossCheck.check(tell, signal),
        (progress) => session.notify('upstream.crossChecked', progress),
      ),

    'catalogue.measure': ({ resolvers, queries = 1 }, session) => {
      const unknown = resolvers?.find((id) => !catalogue.some((one) => one.id === id));
      if (unknown !== undefined)
        return fail(
          'unknown-resolver',
          `the catalogue has no ${JSON.stringify(unknown)}`,
          'see: sotto upstream catalogue',
          'resolvers',
        );
      const wanted = catalogue.filter(
        ({ id, retired }) => resolvers?.includes(id) ?? retired === null,
      );
      return works.begin<MeasuredResolver>(
        session,
        (tell, signal) =>
          eachOf(wanted, measuredAtOnce, signal, async (resolver) => {
            const { upstreams, connections } = settings();
            const { postQuantum } = connections;
            const way = { proxy: proxyFor(resolver, upstreams), postQuantum };
            tell(await measureResolver(engine, resolver, way, queries));
          }),
        (progress) => session.notify('catalogue.measured', progress),
      );
    },

    'query.askEach': (query, session) => {
      const upstreams = whomToAsk(engine, query);
      if (!upstreams.ok) return upstreams;
      return works.begin<ResponseOfOne>(
        session,
        (tell) => askEach(engine, query, upstreams.value, tell),
        (progress) => session.notify('query.answered', progress),
      );
    },

    'work.cancel': ({ work }, session) => works.cancel(work, session),
  };
}
