import { CheckField, may, t } from '@tapline/console-kit';
import { useSignal } from '@preact/signals';
import { Fragment, h } from 'preact';
import { Accept } from './accept.js';
import { Excerpt } from './excerpt.js';

/** Each finding beside the lines that it is about, as far as the caller reads the project. */
export function Findings({ row, reload }) {
  const chosen = useSignal(new Set());
  const { findings, excerpts = [], finding_count: count, related } = row;
  const of = new Map(excerpts.map((excerpt) => [excerpt.finding, excerpt]));
  const mayAccept = may(row, 'accept') && row.scanner && row.project && findings.some(({ accepted }) => !accepted);
  const choose = (id) => (checked) => {
    const now = new Set(chosen.value);
    if (checked) now.add(id);
    else now.delete(id);
    chosen.value = now;
  };
  return h(
    Fragment,
    null,
    h(
      'p',
      { class: 'tab-actions' },
      related?.sarif && h('a', { class: 'button', href: related.sarif, download: '' }, t`Download SARIF`),
    ),
    count > findings.length &&
      h(
        'p',
        { role: 'note' },
        t`The worst ${findings.length} of ${count} are shown; accepting all means the others too.`,
      ),
    findings.length === 0 && h('p', { class: 'empty' }, row.message || t`Nothing was found.`),
    findings.map((finding) =>
      h(Finding, {
        key: finding.id,
        finding,
        excerpt: of.get(finding.id),
        onChoose: mayAccept && !finding.accepted ? choose(finding.id) : null,
        chosen: chosen.value.has(finding.id),
      }),
    ),
    mayAccept && h(Accept, { row, chosen, reload }),
  );
}

function Finding({ finding, excerpt, onChoose, chosen }) {
  const { id, severity, rule_id: rule, file_path: file, line, message, accepted } = finding;
  const at = line === null ? file : `${file}:${line}`;
  return h(
    'article',
    { class: 'card', 'aria-label': t`${rule} at ${at}` },
    h('p', null, h('strong', null, severity), ' ', h('code', null, rule), accepted && t` accepted before`),
    h('p', null, message),
    h('p', { class: 'sub' }, h('code', null, at)),
    excerpt && h(Excerpt, { excerpt, line, file }),
    onChoose &&
      h(CheckField, {
        label: t`Accept ${rule} at ${at}`,
        name: `finding-${id}`,
        checked: chosen,
        onValue: onChoose,
      }),
  );
}
