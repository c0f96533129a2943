import { lazily } from '../components/lazily.tsx';
import type { Tab, TabProps } from '../resources/resource.ts';

const GraphPage = lazily<TabProps>('the graph', () =>
  import('./template-graph.tsx').then((file) => file.TemplateGraph),
);

/** A workflow as it will run. */
export const graphTab: Tab = { id: 'graph', label: 'Graph', content: GraphPage, page: true };
