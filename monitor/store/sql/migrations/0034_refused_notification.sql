-- Whether the receiver refused the newest attempt. Then the configuration of the receiver, or the notification, is wrong.

ALTER TABLE notification ADD COLUMN refused BOOLEAN;
UPDATE notification SET refused = false;
