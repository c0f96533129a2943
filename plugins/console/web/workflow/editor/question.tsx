import { t } from '@tapline/console-kit';
import { type Graph, nodeAt } from '../graph.ts';
import type { Ask, Asking } from './asking.ts';
import { removeNode, unlinkNodes } from './changes.ts';
import { LinkDialog } from './link-dialog.tsx';
import { NodeDialog } from './node-dialog.tsx';
import { RemoveDialog } from './remove-dialog.tsx';

interface QuestionProps {
  workflow: number;
  graph: Graph;
  asking: Asking;
  ask: Ask;
  done: (said: string, node?: number) => Promise<void>;
}

export function Question({ workflow, graph, asking, ask, done }: QuestionProps) {
  const onClose = () => ask(null);
  if (asking.what === 'add')
    return <NodeDialog workflow={workflow} after={asking.after} onDone={done} onClose={onClose} />;
  if (asking.what === 'edit')
    return <NodeDialog workflow={workflow} node={asking.node} onDone={done} onClose={onClose} />;
  if (asking.what === 'link')
    return (
      <LinkDialog
        {...asking}
        graph={graph}
        onRemove={(link) => ask({ what: 'unlink', link })}
        onDone={done}
        onClose={onClose}
      />
    );
  if (asking.what === 'unlink') {
    const [from, to] = [nodeAt(graph, asking.link.from)?.name, nodeAt(graph, asking.link.to)?.name];
    return (
      <RemoveDialog
        title={t`Remove the link?`}
        text={t`${to!} will not follow ${from!} any more. Both nodes stay.`}
        label={t`Remove link`}
        remove={() => unlinkNodes(asking.link)}
        onDone={() => done(t`The link is removed.`)}
        onClose={onClose}
      />
    );
  }
  return (
    <RemoveDialog
      title={t`Remove ${asking.node.name}?`}
      text={t`Its links go with it, and what it would launch with; nodes after it that nothing else leads to begin at the start.`}
      label={t`Remove node`}
      remove={() => removeNode(asking.node.id)}
      onDone={() => done(t`The node is removed.`)}
      onClose={onClose}
    />
  );
}
