import type { ServiceClient } from '../../contract/service-api.ts';

/** Anything that can call the service. */
export type Caller = Pick<ServiceClient, 'call'>;
