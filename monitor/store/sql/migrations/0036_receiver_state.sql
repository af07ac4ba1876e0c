-- What a receiver remembers of a group of alerts, for example the message that it opened in a chat.

CREATE TABLE receiver_state (
    receiver VARCHAR NOT NULL, group_id VARCHAR NOT NULL, value VARCHAR NOT NULL, stored_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (receiver, group_id)
);
