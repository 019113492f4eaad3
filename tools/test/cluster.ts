const setting = 'FORGE_TEST_KUBECONFIG'

/** Is a Kubernetes cluster named that tests may use? No other is ever looked for: they make and remove pods there. */
export const hasCluster = (): boolean => (process.env[setting] ?? '') !== ''

/** The sentence for whoever asks for these tests without a cluster. */
export const clusterWanted = `${setting} names no cluster: set it to a kubeconfig whose cluster these tests may use, and FORGE_TEST_KUBERNETES_HOME to the folder of this machine that is the root of its volume claim. See "On a cluster of your own" in docs/kubernetes.md.`
