import { useEffect, useRef } from 'preact/hooks';
import { linkedPage, t } from '@tapline/console-kit';
import { type Graph, type GraphLink, type GraphNode, linksFrom, linksTo, nodeAt } from '../graph.ts';
import type { Ask } from './asking.ts';
import { kindWords, linkWords } from '../words.ts';

interface PanelProps {
  graph: Graph;
  node: GraphNode;
  ask: Ask;
  onClose: () => void;
}

/** What can be done with the chosen node and its links; Escape leads back to it. */
export function NodePanel(props: PanelProps) {
  const { graph, node, ask, onClose } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [node.id]);
  const template = linkedPage(node.row['related'], 'unified_job_template');
  return (
    <section
      class="graph-panel"
      aria-labelledby="panel-title"
      onKeyDown={(event) => event.key === 'Escape' && !event.defaultPrevented && onClose()}
    >
      <h2 id="panel-title" ref={heading} tabIndex={-1}>
        {node.name}
      </h2>
      <p class="muted">
        {kindWords(node)}
        {node.all && t`, waits for all nodes before it`}
        {template && (
          <>
            {' · '}
            <a href={template}>{t`Open the template`}</a>
          </>
        )}
      </p>
      <div class="actions">
        <button type="button" onClick={() => ask({ what: 'add', after: node })}>{t`Add a node after it`}</button>
        <button type="button" onClick={() => ask({ what: 'link', from: node.id })}>{t`Link to another node`}</button>
        <button type="button" onClick={() => ask({ what: 'edit', node })}>{t`Edit node`}</button>
        <button type="button" class="danger" onClick={() => ask({ what: 'remove', node })}>{t`Remove node`}</button>
        <button type="button" onClick={onClose}>{t`Close`}</button>
      </div>
      <PanelLinks {...props} title={t`Comes after`} links={linksTo(graph, node.id)} other="from" />
      <PanelLinks {...props} title={t`Followed by`} links={linksFrom(graph, node.id)} other="to" />
    </section>
  );
}

interface LinksProps extends PanelProps {
  title: string;
  links: readonly GraphLink[];
  /** the end that is not this node */
  other: 'from' | 'to';
}

function PanelLinks({ graph, title, links, other, ask }: LinksProps) {
  if (!links.length) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="plain panel-links">
        {links.map((link) => {
          const name = nodeAt(graph, link[other])?.name;
          return (
            <li key={`${link.from} ${link.to}`}>
              <span>
                {name} <span class="muted">{linkWords(link)}</span>
              </span>
              <button type="button" onClick={() => ask({ what: 'link', link })}>
                {t`Change`}
                <span class="visually-hidden"> {t`link with ${name}`}</span>
              </button>
              <button type="button" class="danger" onClick={() => ask({ what: 'unlink', link })}>
                {t`Remove`}
                <span class="visually-hidden"> {t`link with ${name}`}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </>
  );
}
