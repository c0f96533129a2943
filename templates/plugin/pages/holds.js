// the session of whoever is logged in goes along, and the API shows what that user may see
const answer = await fetch('/api/v2/sample_plugin_holds/');
const state = document.getElementById('state');
if (answer.ok) {
  const { count, results } = await answer.json();
  state.textContent = count ? '' : 'No template is held.';
  for (const { summary_fields: names, reason } of results) {
    const item = document.createElement('li');
    item.textContent = `${names.job_template.name}: ${reason}`;
    document.getElementById('holds').append(item);
  }
} else state.textContent = answer.status === 401 ? 'Log in first.' : `The service answered ${answer.status}.`;
