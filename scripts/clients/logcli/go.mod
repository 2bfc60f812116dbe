module logcli

go 1.15

require github.com/grafana/loki v1.6.2-0.20210406003638-babea82ef558

// These know the maps of today's Go.
replace github.com/modern-go/reflect2 => github.com/modern-go/reflect2 v1.0.2

replace github.com/json-iterator/go => github.com/json-iterator/go v1.1.12

// As Loki's own go.mod has them, which holds for its programs alone.
replace github.com/hpcloud/tail => github.com/grafana/tail v0.0.0-20201004203643-7aa4e4a91f03
replace github.com/Azure/azure-sdk-for-go => github.com/Azure/azure-sdk-for-go v36.2.0+incompatible
replace k8s.io/client-go => k8s.io/client-go v0.19.4
replace k8s.io/api => k8s.io/api v0.19.4
replace github.com/hashicorp/consul => github.com/hashicorp/consul v1.5.1
replace github.com/satori/go.uuid => github.com/satori/go.uuid v1.2.0
replace github.com/gocql/gocql => github.com/grafana/gocql v0.0.0-20200605141915-ba5dc39ece85
replace google.golang.org/grpc => google.golang.org/grpc v1.29.1
replace github.com/bradfitz/gomemcache => github.com/themihai/gomemcache v0.0.0-20180902122335-24332e2d58ab
replace github.com/go-openapi/errors => github.com/go-openapi/errors v0.19.4
replace github.com/go-openapi/validate => github.com/go-openapi/validate v0.19.8
