import type { ServiceClient } from '../../contract/service-api.ts';

/** Whoever carries a call to the service. */
export type Caller = Pick<ServiceClient, 'call'>;
