import { lazily, type Tab, type TabProps } from '@tapline/console-kit';

const GraphPage = lazily<TabProps>('the graph', () =>
  import('./template-graph.tsx').then((file) => file.TemplateGraph),
);

/** A workflow as it will run. */
export const graphTab: Tab = { id: 'graph', label: 'Graph', content: GraphPage, page: true };
