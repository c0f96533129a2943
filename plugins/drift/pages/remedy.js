import { Dialog, Form, RelationPicker, Status, toast, useFields, useLauncher } from '@tapline/console-kit';
import { useSignal } from '@preact/signals';
import { Fragment, h } from 'preact';

/** What became of the run that was to put it right. */
export function Remedy({ row }) {
  const { remediation_job: job, remediation_status: status, summary_fields: named } = row;
  if (!status) return null;
  return h(
    'p',
    null,
    'Put right by ',
    job ? h('a', { href: `/jobs/${job}` }, named.remediation_job?.name ?? `run ${job}`) : 'a run that is gone',
    ': ',
    h(Status, { status, label: status === 'launched' ? 'Launched' : undefined }),
  );
}

/** Launches a template for the host alone. */
export function RemedyButton({ row, reload }) {
  const open = useSignal(false);
  const launch = useLauncher();
  const close = () => void (open.value = false);
  return h(
    Fragment,
    null,
    h('button', { type: 'button', onClick: () => void (open.value = true) }, 'Put right …'),
    open.value && h(Choose, { row, launch, onClose: close, onDone: reload }),
  );
}

function Choose({ row, launch, onClose, onDone }) {
  const { values, errors, bind } = useFields({ job_template: '' });
  const send = async () => {
    const { job_template: template } = values.value;
    const { job } = await launch(
      `drift_detections/${row.id}/remediate/`,
      template ? { job_template: Number(template) } : {},
    );
    toast(`Job ${job} is launched.`, 'good');
    onClose();
    await onDone();
  };
  return h(
    Dialog,
    { title: `Put ${row.summary_fields.host.name} right`, onClose },
    h(
      Form,
      {
        submit: 'Launch for this host',
        busy: 'Launching …',
        errors,
        known: ['job_template'],
        // the kit's form waits for it
        // oxlint-disable-next-line no-misused-promises
        onSubmit: send,
        onCancel: onClose,
      },
      h(RelationPicker, {
        ...bind('job_template'),
        label: 'Job template',
        list: 'job_templates/?ask_limit_on_launch=true',
        hint: 'It has to ask for a limit. Without one, what a rule about such drift names is launched.',
      }),
    ),
  );
}
