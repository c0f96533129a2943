# Inventories whose names begin with prod are for superusers.
package tapline.library.production_by_superusers

deny contains "Production is for superusers." if {
  startswith(lower(input.inventory.name), "prod")
  not input.user.is_superuser
}
