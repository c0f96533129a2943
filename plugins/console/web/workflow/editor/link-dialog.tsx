import { type Signal, useSignal } from '@preact/signals';
import { Dialog, type FieldErrors, Form, SelectField, TextField, t } from '@tapline/console-kit';
import { type Graph, type GraphLink, type LinkKind, linkKinds, linkLabels } from '../graph.ts';
import { type LinkMore, linkNodes, relinkNodes } from './changes.ts';

interface Props {
  graph: Graph;
  from?: number | undefined;
  to?: number | undefined;
  /** the one that is changed; without it a new one is made */
  link?: GraphLink | undefined;
  onRemove: (link: GraphLink) => void;
  onDone: (said: string) => Promise<void>;
  onClose: () => void;
}

const conditionFields = ['artifact_key', 'trigger', 'operator', 'expected_value', 'expression'];
const noCondition: LinkMore = {
  artifact_key: '',
  trigger: 'success',
  operator: 'eq',
  expected_value: '',
  expression: '',
};

/** Which node follows which, and when. */
export function LinkDialog({ graph, from = 0, to = 0, link, onRemove, onDone, onClose }: Props) {
  const ends = useSignal({ from: link?.from ?? from, to: link?.to ?? to });
  const kind = useSignal<LinkKind>(link?.kind ?? 'success');
  const condition = useSignal<LinkMore>({ ...noCondition, ...conditionOf(link) });
  const errors = useSignal<FieldErrors>({});
  const submit = async () => {
    const more = kind.value === 'condition' ? condition.value : {};
    await store(link, { ...ends.value, kind: kind.value }, more);
    await onDone(link ? t`The link is changed.` : t`The nodes are linked.`);
  };
  return (
    <Dialog title={link ? t`Change the link` : t`Link two nodes`} onClose={onClose}>
      <Form
        submit={link ? t`Change link` : t`Link`}
        errors={errors}
        known={conditionFields}
        onSubmit={submit}
        onCancel={onClose}
      >
        {link ? <Ends graph={graph} link={link} /> : <ChosenEnds graph={graph} ends={ends} />}
        <SelectField
          name="kind"
          label={t`Runs`}
          preset
          value={kind.value}
          choices={linkKinds.map((value) => ({ value, label: linkLabels[value] }))}
          onValue={(value) => void (kind.value = value as LinkKind)}
        />
        {kind.value === 'condition' && <ConditionFields condition={condition} errors={errors.value} />}
      </Form>
      {link && <button type="button" class="danger" onClick={() => onRemove(link)}>{t`Remove link`}</button>}
    </Dialog>
  );
}

const conditionOf = (link: GraphLink | undefined): LinkMore => {
  const { id: _, ...asked } = link?.condition ?? { id: 0 };
  return asked as LinkMore;
};

const store = (link: GraphLink | undefined, next: GraphLink, more: LinkMore): Promise<void> =>
  link && link.kind !== next.kind ? relinkNodes(link, next, more) : linkNodes(next.from, next.to, next.kind, more);

type ChosenProps = { graph: Graph; ends: Signal<{ from: number; to: number }> };

function ChosenEnds({ graph, ends }: ChosenProps) {
  const nodes = graph.nodes.map(({ id, name }) => ({ value: String(id), label: name }));
  const end = (name: 'from' | 'to', label: string) => (
    <SelectField
      name={name}
      label={label}
      required
      empty={t`Choose a node`}
      value={String(ends.value[name] || '')}
      choices={nodes}
      onValue={(value) => void (ends.value = { ...ends.value, [name]: Number(value) })}
    />
  );
  return (
    <>
      {end('from', t`First`)}
      {end('to', t`Then`)}
    </>
  );
}

const Ends = ({ graph, link }: { graph: Graph; link: GraphLink }) => {
  const name = (id: number) => <strong>{graph.nodes.find((node) => node.id === id)?.name}</strong>;
  return <p>{t`${name(link.to)} after ${name(link.from)}`}</p>;
};

const triggers = [
  { value: 'success', label: t`After success` },
  { value: 'failure', label: t`After failure` },
  { value: 'always', label: t`After either` },
];
const operators = [
  { value: 'eq', label: t`is` },
  { value: 'ne', label: t`is not` },
];

/** What a job has set by `set_stats`, and what it must be; or an expression over all of that. */
function ConditionFields({ condition, errors }: { condition: Signal<LinkMore>; errors: FieldErrors }) {
  const field = (name: string, label: string) => ({
    name,
    label,
    errors: errors[name],
    value: condition.value[name] ?? '',
    onValue: (value: string) => void (condition.value = { ...condition.value, [name]: value }),
  });
  return (
    <>
      <SelectField {...field('trigger', t`When`)} preset choices={triggers} />
      <TextField
        {...field('artifact_key', t`Artifact`)}
        required={!condition.value['expression']}
        hint={t`The name of what a job sets by set_stats.`}
      />
      <SelectField {...field('operator', t`Test`)} preset choices={operators} />
      <TextField {...field('expected_value', t`Value`)} />
      <TextField
        {...field('expression', t`Expression`)}
        hint={t`In place of an artifact, in the language of Jinja2: artifacts.count > 3 and status == 'successful'`}
      />
    </>
  );
}
