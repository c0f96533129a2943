import { lazily, type Tab, type TabProps, t } from '@tapline/console-kit';

const GraphPage = lazily<TabProps>(t`the graph`, () =>
  import('./template-graph.tsx').then((file) => file.TemplateGraph),
);

/** A workflow as it will run. */
export const graphTab: Tab = { id: 'graph', label: t`Graph`, content: GraphPage, page: true };
