# A job template is launched with a credential.
package tapline.library.credential_needed

warn contains "It is launched without any credential." if {
  input.resource_type == "job_template"
  count(input.credentials) == 0
}
