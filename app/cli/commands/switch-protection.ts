/** The common part of `on`, `off` and `pause`: they print the verdict that holds afterwards. */
import type { ServiceStatus } from '../../contract/status/service-status.ts';
import { safe } from '../../contract/text/visible-text.ts';

export const switching = {
  say: ({ sentence }: ServiceStatus) => safe(sentence),
  data: ({ verdict, protection, sentence }: ServiceStatus) => ({ verdict, protection, sentence }),
};
