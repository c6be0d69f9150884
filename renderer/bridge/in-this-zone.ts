/** Times that a person types are of the zone of this page; the service, and what carries the call there, may be in others. */
import { inThisZone } from '../../app/contract/query-log/sent-filter.ts';
import type { Connection } from './connection.ts';

export function connectionInThisZone(connection: Connection): Connection {
  return {
    ...connection,
    call: (name, params) => connection.call(name, inThisZone(name, params)),
    pour: (params, signal) => connection.pour(inThisZone('log.pour', params), signal),
  };
}
