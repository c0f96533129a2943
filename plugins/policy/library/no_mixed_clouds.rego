# One cloud credential at a time.
package tapline.library.no_mixed_clouds

clouds := {credential.kind | some credential in input.credentials; credential.kind in {"aws", "azure_rm", "gce", "openstack"}}

deny contains "Use credentials of one cloud only." if count(clouds) > 1
