/** On an empty query log, shows how to send a query, and offers to send one. */
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { Rich } from '../../text/rich.tsx';
import { useWords } from '../../text/use-text.ts';
import { digAt } from './dig-command.ts';

export function AskToTeach() {
  const { text } = useWords();
  const { session, status } = useService();
  const listening = useStore(status)?.value.listening ?? [];
  async function ask(): Promise<void> {
    const asked = await session.call('query.ask', { name: 'example.com', type: 'A' });
    if (!asked.ok) tellFailure(asked.failure);
  }
  return (
    <EmptyState
      title={text.queryLog.empty.title}
      actions={
        <Button variant="main" onClick={() => void ask()}>
          {text.queryLog.empty.ask}
        </Button>
      }
    >
      <Rich
        of={text.queryLog.empty.teach}
        command={<code>{`dig ${digAt(listening[0])} example.com`}</code>}
      />
    </EmptyState>
  );
}
