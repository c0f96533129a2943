export async function show(root) {
  root.textContent = '';
}
