/** An examination whose findings the test gives, for a service whose status it gives. */
import type { ServiceHandlers } from '../../app/contract/service-api.ts';
import type { Finding } from '../../app/contract/status/finding.ts';

export function toldExamination(
  find: () => readonly Finding[],
): Pick<ServiceHandlers, 'doctor.run'> {
  let work = 0;
  return {
    'doctor.run': (_params, session) => {
      work += 1;
      session.notify('doctor.found', { work, items: [...find()], done: true, failure: null });
      return { ok: true, value: { work } };
    },
  };
}
