"""Tables whose cameras hang on another machine: a node sends what they see to the hall over a broker (NATS).

Facts go through an outbox on the node's disk and a stream on the broker's, and are forgotten only when the hall has
stored what follows from them; pictures of the moment (places, health) are sent once and may be lost.
"""
