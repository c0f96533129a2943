import { own } from '../../api/steps.ts';

export function LaunchStep() {
  const template = own.value?.template;
  if (!template) return <p class="muted">This becomes possible once there is a template.</p>;
  return (
    <p>
      <a class="button primary" href={`/templates/${template.id}/launch`}>
        Launch {template.name}
      </a>
    </p>
  );
}
