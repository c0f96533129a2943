# Playbooks of the folder playbooks/ only.
package tapline.library.known_playbooks

deny contains msg if {
  input.playbook != ""
  not startswith(input.playbook, "playbooks/")
  msg := sprintf("%s does not lie in playbooks/.", [input.playbook])
}
