/** A client's view of work whose results come one by one: begun, followed, and cancelled when the client stops listening. */
import type { Failure, Result } from '../errors.ts';
import { fail } from '../errors.ts';
import type { NotificationName, NotificationOf, ServiceClient } from '../service-api.ts';

/** The notifications of works. */
type WorkNotification = {
  [Name in NotificationName]: NotificationOf<Name> extends { work: number; items: unknown[] }
    ? Name
    : never;
}[NotificationName];

type ItemOf<Name extends WorkNotification> = NotificationOf<Name>['items'][number];

/** Resolves after the last result: null, or why it ended early. */
export async function followWork<Name extends WorkNotification>(
  service: ServiceClient,
  notification: Name,
  begin: () => Promise<Result<{ work: number }>>,
  tell: (item: ItemOf<Name>) => void,
): Promise<Failure | null> {
  const early: NotificationOf<Name>[] = [];
  let mine: number | null = null;
  let finish = (_failure: Failure | null) => {};
  const finished = new Promise<Failure | null>((resolve) => {
    finish = resolve;
  });

  function hear(progress: NotificationOf<Name>): void {
    if (progress.work !== mine) return;
    for (const item of progress.items) tell(item);
    if (progress.done) finish(progress.failure);
  }

  const end = service.on(notification, (progress) => {
    // The reply with the number of this work may be read after the first of its results.
    if (mine === null) early.push(progress);
    else hear(progress);
  });
  service.onClose(() =>
    finish(
      fail('connection-lost', 'the service ended the connection', 'run: sotto status').failure,
    ),
  );
  try {
    const begun = await begin();
    if (!begun.ok) return begun.failure;
    mine = begun.value.work;
    early.forEach(hear);
    return await finished;
  } finally {
    end();
  }
}
