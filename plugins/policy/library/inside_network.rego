# Launches from the networks that are ours.
package tapline.library.inside_network

ours := ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8"]

deny contains "Launches come from inside the network only." if {
  input.client_ip
  not inside
}

inside if {
  some network in ours
  net.cidr_contains(network, input.client_ip)
}
