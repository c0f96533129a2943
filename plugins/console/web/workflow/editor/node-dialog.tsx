import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import {
  ApiFailure,
  Dialog,
  Failure,
  type FieldErrors,
  type Fields,
  Form,
  FormField,
  initialValues,
  Loading,
  RelationPicker,
  type Resource,
  type Row,
  SelectField,
  sentBody,
  useOptions,
  useQuery,
  type Values,
  t,
} from '@tapline/console-kit';
import { type GraphNode, type LinkKind, linkLabels } from '../graph.ts';
import { type Approval, approvalBody, ApprovalFields, approvalNames, approvalOf } from './approval-fields.tsx';
import { addNode, changeNode } from './changes.ts';
import { ListField } from './list-field.tsx';
import { askedFields, nodeKindOf, nodeKinds } from './node-kinds.ts';
import { type ListChange, nodeLists, storeLists } from './node-lists.ts';

interface Props {
  workflow: number;
  /** the one that is changed; without it a new one is made */
  node?: GraphNode | undefined;
  /** the one that a new one follows */
  after?: GraphNode | undefined;
  onDone: (said: string, node: number) => Promise<void>;
  onClose: () => void;
}

/** Nodes have no pages of their own: this only says how their fields are drawn. */
const nodeResource: Resource = {
  path: 'workflow_job_template_nodes',
  type: 'workflow_job_template_node',
  one: t`node`,
  many: t`nodes`,
  columns: [],
};

export function NodeDialog(props: Props) {
  const { workflow, node, after, onClose } = props;
  const list = `workflow_job_templates/${workflow}/workflow_nodes/`;
  const { data, error, reload } = useOptions(list);
  const fields = data.value?.actions.POST;
  const title = node ? t`Edit ${node.name}` : after ? t`Add a node after ${after.name}` : t`Add a node`;
  return (
    <Dialog title={title} onClose={onClose}>
      {error.value && <Failure error={error.value} what={t`form`} again={reload} />}
      {!data.value && !error.value && <Loading what={t`the form`} />}
      {data.value && !fields && <p>{t`You may not change this workflow.`}</p>}
      {fields && <NodeForm {...props} fields={fields} />}
    </Dialog>
  );
}

const followKinds: readonly LinkKind[] = ['success', 'failure', 'always'];

type FormProps = Props & { fields: Fields };

function NodeForm(props: FormProps) {
  const { node, after, fields, onClose } = props;
  const form = useNodeForm(props);
  const { values, errors, own, lists, set } = form;
  const row = node?.row ?? null;
  return (
    <Form
      submit={node ? t`Save node` : t`Add node`}
      errors={errors}
      known={knownOf(form)}
      onSubmit={form.submit}
      onCancel={onClose}
    >
      {after && <Follows value={form.follows.value} onValue={(value) => void (form.follows.value = value)} />}
      <Launched form={form} row={row} />
      {own.map((name) => (
        <FormField
          key={name}
          name={name}
          option={{ ...fields[name]!, ...words[name] }}
          resource={nodeResource}
          row={row}
          values={values.value}
          errors={errors.value}
          onValue={set(name)}
        />
      ))}
      {lists.map((list) => (
        <ListField
          key={list.name}
          list={list}
          node={row?.id ?? null}
          changes={form.changes}
          errors={errors.value[list.name]}
        />
      ))}
    </Form>
  );
}

type NodeFormState = ReturnType<typeof useNodeForm>;

/** Fields that are on the form. */
const knownOf = ({ own, lists, kind }: NodeFormState): string[] => [
  ...own,
  ...lists.map(({ name }) => name),
  'unified_job_template',
  ...(kind.value.list === null ? approvalNames : []),
];

/** What the node launches: a template of some kind, or an approval of its own. */
function Launched({ form, row }: { form: NodeFormState; row: Row | null }) {
  const { kind, errors, approval, set } = form;
  return (
    <>
      <KindField
        value={kind.value.kind}
        onValue={(value) => {
          kind.value = nodeKindOf(value);
          set('unified_job_template')('');
        }}
      />
      {kind.value.list === null ? (
        <ApprovalFields
          approval={approval.value}
          errors={errors.value}
          onValue={(value) => void (approval.value = value)}
        />
      ) : (
        <TemplateField form={form} list={kind.value.list} row={row} />
      )}
    </>
  );
}

/** What is on the form, and how it is sent. */
function useNodeForm({ workflow, node, after, fields, onDone }: FormProps) {
  const row = node?.row ?? null;
  const kind = useSignal(nodeKindOf(node?.kind ?? 'job'));
  const follows = useSignal<LinkKind>('success');
  const start = useMemo(() => initialValues(fields, nodeResource, row), []);
  const values = useSignal<Values>(start);
  const approval = useSignal<Approval>(approvalOf(row?.summary_fields['unified_job_template']));
  const errors = useSignal<FieldErrors>({});
  const { list, asks } = kind.value;
  const info = useAsked(asks ? list : null, values.value['unified_job_template']);
  const asked = askedFields(info);
  const lists = nodeLists.filter(({ flag }) => info[flag] === true);
  const changes = useSignal<Record<string, ListChange>>({});
  const own = ['all_parents_must_converge', ...(list === null ? [] : ['max_retries', ...asked])];
  const set = (name: string) => (value: unknown) => void (values.value = { ...values.value, [name]: value });
  const submit = async () => {
    // the API takes a node that launches nothing; nobody means one here
    if (list !== null && !values.value['unified_job_template'])
      throw new ApiFailure(400, { unified_job_template: [t`Choose what it launches.`] });
    const names = list === null ? own : ['unified_job_template', ...own];
    const sent = Object.fromEntries(names.map((name) => [name, fields[name]!]));
    const columns = sentBody(sent, nodeResource, values.value, start, row);
    const approves = list === null ? approvalBody(approval.value) : undefined;
    if (row) {
      await changeNode(row, columns, approves);
      await storeLists(row.id, lists, changes);
      return onDone(t`The node is saved.`, row.id);
    }
    const before = after && { id: after.id, kind: follows.value };
    const store = (node: number) => storeLists(node, lists, changes);
    const { id } = await addNode({ workflow, columns, approval: approves, after: before, store });
    await onDone(t`The node is added.`, id);
  };
  return { kind, follows, values, approval, errors, own, lists, changes, set, submit };
}

interface TemplateProps {
  form: NodeFormState;
  list: string;
  row: Row | null;
}

function TemplateField({ form: { kind, values, errors, set }, list, row }: TemplateProps) {
  const value = values.value['unified_job_template'];
  return (
    <RelationPicker
      key={kind.value.kind}
      name="unified_job_template"
      label={t`Template`}
      required
      errors={errors.value['unified_job_template']}
      list={list}
      value={value}
      known={knownName(row, value)}
      onValue={set('unified_job_template')}
    />
  );
}

/** Where the name of a field does not tell enough. */
const words: Record<string, { label: string; help_text?: string }> = {
  all_parents_must_converge: { label: t`Wait for all nodes before it, whichever way they go` },
  max_retries: { label: t`Retries`, help_text: t`How often it is tried again after a failure.` },
  extra_data: { label: t`Extra variables`, help_text: t`JSON or YAML; answers to the survey are among them.` },
};

const knownName = (row: Row | null, value: string): string | undefined => {
  const template = row?.summary_fields['unified_job_template'];
  return template && String(template.id) === value ? template.name : undefined;
};

/** What the chosen template asks for at launch, which a node may answer beforehand. */
function useAsked(list: string | null, template: string): Record<string, unknown> {
  const { data } = useQuery<Record<string, unknown>>(list && template ? `${list}${template}/launch/` : null);
  return (list && template && data.value) || {};
}

const Follows = ({ value, onValue }: { value: LinkKind; onValue: (value: LinkKind) => void }) => (
  <SelectField
    name="follows"
    label={t`Runs`}
    preset
    value={value}
    choices={followKinds.map((one) => ({ value: one, label: linkLabels[one] }))}
    onValue={(next) => onValue(next as LinkKind)}
  />
);

const KindField = ({ value, onValue }: { value: string; onValue: (value: string) => void }) => (
  <SelectField
    name="kind"
    label={t`Kind`}
    preset
    value={value}
    choices={nodeKinds.map(({ kind, label }) => ({ value: kind, label }))}
    onValue={onValue}
  />
);
