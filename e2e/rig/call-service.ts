/** One call to a service by its contract: the command line takes a Node of its own, and a test that polls would start dozens. */
import type { MethodName, Params, ResultOf } from '../../app/contract/service-api.ts';
import { connectToService } from '../../app/service-client/service-client.ts';

export async function callService<Name extends MethodName>(
  socket: string,
  name: Name,
  params: Params<Name>,
): Promise<ResultOf<Name>> {
  const connected = await connectToService(socket, 'a test');
  if (!connected.ok) throw new Error(connected.failure.message);
  const service = connected.value;
  try {
    const result = await service.call(name, params);
    if (!result.ok) throw new Error(`${name}: ${result.failure.message}`);
    return result.value;
  } finally {
    service.close();
  }
}
