/** An EncDNS server with one thread, behind whose boxes is a zone that has every name. */
import type { Lab } from '../../e2e/rig/lab.ts';
import { type EncdnsServer, startEncdnsServer } from '../../e2e/rig/peers/encdns-server.ts';
import { type BoxKind, type BoxSummary, boxedLoad } from '../../e2e/rig/sotto-lab.ts';
import { writeZone } from '../../e2e/rig/zones/zone-file.ts';

/** `perSecond`: queries that a client and a resolver may send; 0: without a limit. */
export async function startServer(lab: Lab, perSecond: number): Promise<EncdnsServer> {
  const { file } = await writeZone(lab, 'example', ['* A 198.18.0.1']);
  const limit = String(perSecond);
  const limits = ['--encdns-per-client', limit, '--encdns-per-resolver', limit];
  const options = ['--threads', '1', ...limits];
  return await startEncdnsServer(lab, { answers: ['--zone', file], options });
}

/** Every query must get what is due to it: none may be lost, and only garbage may fail. */
export async function send(
  lab: Lab,
  server: EncdnsServer,
  kind: BoxKind,
  queries: number,
  different = queries,
): Promise<BoxSummary> {
  const summary = await boxedLoad(lab, server, kind, queries, different);
  const due = kind === 'garbage' ? summary.failed : summary.answered;
  if (due !== queries)
    throw new Error(`this is no measurement of ${kind}: ${JSON.stringify(summary)}`);
  return summary;
}
