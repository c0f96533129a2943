import { lazily, t } from '@tapline/console-kit';

/** Pages that few open, and that bring much: the placing of graphs above all. */
export const WorkflowRunPage = lazily<{ params: Record<string, string> }>(t`the workflow`, () =>
  import('./run-page.tsx').then((file) => file.WorkflowRunPage),
);
